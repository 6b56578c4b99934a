-- An attempt stands in the ledger before it is dialled, with the outcome `open`, so that a kill loses none of them. The
-- next start finds those it left.
CREATE INDEX egress_open ON egress (id) WHERE outcome = 'open';
