"""What every HTTP door shares: problems, authentication, idempotency, bodies, fields, paging, the OpenAPI document."""
