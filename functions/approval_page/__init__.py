"""The page behind an approval link: plain HTML for a person, the only place where a quote can be approved."""
