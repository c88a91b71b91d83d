"""Judgement of a change: pairs are drawn for people to judge, and their answers become estimates with intervals."""
