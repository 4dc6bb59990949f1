"""The local web page and its JSON API: `covey serve`. Needs the extra ``web``; nothing here is loaded before that."""
