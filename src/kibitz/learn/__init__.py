"""Learning: what trains networks. It needs torch: `pip install 'kibitz[train]'`."""
