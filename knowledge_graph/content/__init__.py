"""The content graph: which entities the memories of bank, patterns and books name, and which together.

``updates`` replaces what a changed memory contributes, exactly; ``analysis`` lets a language model read a memory in
place of the rules, where one is configured. A new kind of edge begins in ``updates``.
"""
