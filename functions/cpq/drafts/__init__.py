"""Letters as drafts: what they rest on, how they are composed and rendered, and checks of what was typed."""
