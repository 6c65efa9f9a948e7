"""The operator's pages, rendered on the server.

To change a page, look up its address in `urls`: it names the module, and ``templates/console/<page>/`` has its
``page.html`` and, with a leading underscore, the parts of it that htmx asks for. One module is one page; how numbers
and changes are put into words is apart and pure: `explanations` and `signal_wordings` (why a hit ranks where it
does), `text_diff`, `timeline`, `charts`, `component_health`. The pages of graphs and of conversations lie with their
apps (`knowledge_graph.console`, `outcomes.console`).

Every page is a URL that works without JavaScript. All reading starts at the person an operator may look at
(`memory.web.viewing`), and every change is one verb of the facade with the operator as its actor. Text that a user or
a model wrote is only ever shown escaped, and inert to htmx. May import the facade, the apps' pages, `memory.web` and
what lies below.
"""
