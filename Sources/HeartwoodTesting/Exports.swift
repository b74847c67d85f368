// With this, `import HeartwoodTesting` is enough for the calls and the errors of the file system that a disk simulates.
@_exported public import HeartwoodFileSystem
