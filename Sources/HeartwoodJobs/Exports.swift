// With this, `import HeartwoodJobs` is enough to handle transactions, times and errors.
@_exported public import KeyValueStore
