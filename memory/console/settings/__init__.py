"""What governs an organisation and the installation: keys, members, values in force, MCP, data; `hub` leads to each.

One module is one page, `forms` what they read. Members look; owners of an organisation change what is its own, and
whoever owns every organisation runs the installation (`memory.web.viewing`). Every change is written down by
`memory.access.audit`, which the pages show.
"""
