"""The operator's pages, rendered on the server.

Owns: who may look where (`places`), how a page is answered (`pages`), one module a page, and how numbers and changes
are put into words (`explaining`, `differences`, `timeline`). Every page is a URL that works without JavaScript; htmx
replaces a part of it. All reading starts at one user's person, and every change goes through the facade with the
operator as its actor. Text that a user or a model wrote is only ever shown escaped, and inert to htmx.
"""
