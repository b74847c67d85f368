// With this, `import HeartwoodJobs` is enough for repositories, whose transactions enqueue jobs, and for errors.
@_exported public import HeartwoodRepository
