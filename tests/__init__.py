"""Tests of kibitz."""
