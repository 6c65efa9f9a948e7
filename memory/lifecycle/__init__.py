"""What happens to a memory after it is stored.

`promotion` moves memories between tiers and archives what expired or failed, `bank` makes room in the memory bank,
`purging` removes a source with all that was derived from it, `erasure` a whole person, `expiry` old logs. When
something is due is in the settings (`PromotionConf`, `Limits`) and in `memory.tiers.POLICIES`.

Works through `memory.store`, user by user, in short transactions that can be repeated after any interruption.
"""
