"""How likely words tell what lasts about a person, or ask to be remembered: small trained models of their features."""
