"""The nouns: frames, scores, manifests, estimates, pools and probes."""
