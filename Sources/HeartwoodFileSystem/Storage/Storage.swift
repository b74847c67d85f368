/// Where a store's files are: on the disk, in memory, or on the simulated disk of `HeartwoodTesting`.
public struct Storage: Sendable {
    package var fileSystem: any FileSystem

    package init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// The file systems of the operating system.
    public static let disk = Storage(POSIXFileSystem())

    /// A new storage in memory, for tests: as long as a copy of this value exists, its stores can be opened again.
    public static func inMemory() -> Storage { Storage(InMemoryFileSystem()) }
}
