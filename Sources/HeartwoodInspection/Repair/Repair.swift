internal import HeartwoodFiles
package import HeartwoodFileSystem
internal import HeartwoodFormat

/// Builds a new store from every batch that verifies. The files need not form a store any more.
public enum Repair {
    /// Reports what a repair would recover, and what it would not. Writes nothing.
    ///
    /// - Parameters:
    ///   - path: The directory with the files.
    ///   - options: What to recover.
    ///   - progress: Called from time to time. An error that it throws ends the work and is thrown.
    /// - Throws: `StoreError`: `.notFound`; `.unsupportedFormat`; `.invalidArgument` if the options ask for a state
    ///   that is older than everything here; or an error of the system.
    public static func plan(
        _ path: String, _ options: RepairOptions = RepairOptions(),
        progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try plan(path, options, fileSystem: POSIXFileSystem(), progress: progress)
    }

    package static func plan(
        _ path: String, _ options: RepairOptions = RepairOptions(), fileSystem: any FileSystem,
        progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try translatingErrors {
            var run = try RepairRun(path, options, fileSystem, progress)
            defer { run.close() }
            var sink = NullSink()
            return try run.run(into: &sink, nil)
        }
    }

    /// Writes a new store to a directory that does not exist or is empty, and verifies it. The old files are only read.
    ///
    /// The new store is built in a directory next to it, `OUTPUT.partial`, which is renamed when everything in it is
    /// durable. The next repair removes what an interrupted repair has left there. Every batch keeps its sequence
    /// number. The store gets a new identity, so its files and the old ones can't be mixed.
    ///
    /// - Parameters:
    ///   - path: The directory with the files.
    ///   - output: The directory for the new store.
    ///   - options: What to recover.
    ///   - now: The present time in milliseconds since 1970.
    ///   - progress: As of ``plan(_:_:progress:)``.
    /// - Throws: `StoreError`, as ``plan(_:_:progress:)``. If building or verifying fails, the new store is
    ///   removed.
    public static func run(
        _ path: String, output: String, _ options: RepairOptions = RepairOptions(), now: UInt64,
        progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try run(path, output: output, options, now: now, fileSystem: POSIXFileSystem(), progress: progress)
    }

    package static func run(
        _ path: String, output: String, _ options: RepairOptions = RepairOptions(), now: UInt64,
        fileSystem: any FileSystem, progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try translatingErrors {
            let fileSystem = try fileSystem.boundIfDirectory(parent(of: output))
            if try fileSystem.kind(of: output) == .directory { try removeUnfinished(output, in: fileSystem) }
            try checkOutput(output, of: path, in: fileSystem)
            let partial = output + ".partial"
            var report = try build(path, in: partial, options, now, fileSystem, progress)
            try fileSystem.rename(partial, to: output)
            try fileSystem.syncDirectory(parent(of: output))
            try fileSystem.remove(output + "/" + NewStore.unfinishedName)
            try fileSystem.syncDirectory(output)
            report.output = output
            return report
        }
    }

    /// Builds and verifies a new store. On failure, removes what it wrote.
    static func build(
        _ path: String, in partial: String, _ options: RepairOptions, _ now: UInt64, _ fileSystem: any FileSystem,
        _ progress: ProgressMeter.Report?
    ) throws -> RepairReport {
        try removeUnfinished(partial, in: fileSystem)
        if try fileSystem.kind(of: partial) != nil {
            throw StoreError(
                .invalidArgument,
                "something is in the way that no repair has left: move it, and try again", file: partial)
        }
        var run = try RepairRun(path, options, fileSystem, progress)
        defer { run.close() }
        let store = try NewStore(partial, now: now, in: fileSystem)
        do {
            var sink = store
            var report = try run.run(into: &sink, store)
            try store.finish(highest: report.highestSequence, newestTime: report.newestTime)
            report.bytes = store.bytes
            let check = try Verification.run(partial, fileSystem: fileSystem, patience: .none) { step in
                var step = step
                step.phase = "verifying"
                try progress?(step)
            }
            guard check.verdict == .clean, check.opens else {
                throw StoreError(
                    .inputOutput,
                    "the new store doesn't verify, so it was not kept: look at the disk "
                        + "(\(check.findings.first?.description ?? ""))",
                    file: partial)
            }
            return report
        } catch {
            try? remove(partial, in: fileSystem)
            throw error
        }
    }

    private static func checkOutput(_ output: String, of path: String, in fileSystem: any FileSystem) throws {
        switch try fileSystem.kind(of: output) {
        case nil: break
        case .directory? where try fileSystem.contents(ofDirectory: output).isEmpty: break
        default:
            throw StoreError(
                .invalidArgument, "the output is there already: name a directory that isn't, or an empty one",
                file: output)
        }
        if output.hasPrefix(path + "/") {
            throw StoreError(
                .invalidArgument, "the output is in the store itself: name a directory beside it", file: output)
        }
    }

    /// Removes a directory and its files. The file that marks it as unfinished is removed last.
    static func remove(_ directory: String, in fileSystem: any FileSystem) throws(FileSystemError) {
        let names = try fileSystem.contents(ofDirectory: directory)
        for name in names where name != NewStore.unfinishedName { try fileSystem.remove(directory + "/" + name) }
        if names.contains(NewStore.unfinishedName) {
            try fileSystem.remove(directory + "/" + NewStore.unfinishedName)
        }
        try fileSystem.remove(directory)
    }

    /// Removes the unfinished new store of an interrupted repair, and nothing else.
    private static func removeUnfinished(_ directory: String, in fileSystem: any FileSystem) throws(FileSystemError) {
        guard try fileSystem.kind(of: directory) == .directory else { return }
        let names = try fileSystem.contents(ofDirectory: directory)
        if names.isEmpty || names.contains(NewStore.unfinishedName) { try remove(directory, in: fileSystem) }
    }

    static func parent(of path: String) -> String {
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    static func translatingErrors<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as FileSystemError where error.isOutOfSpace {
            throw StoreError(
                .outOfSpace,
                "there is no space for the repaired store: \(error.spaceRemedy), or name an output on a larger disk, "
                    + "and repair again",
                file: error.path, cause: error)
        } catch let error as FileSystemError {
            throw StoreError(error, "the store could not be repaired")
        }
    }
}

/// Ignores the batches: for a plan, which only counts them.
struct NullSink: HistorySink {
    mutating func add(
        _ records: ArraySlice<FoundRecord>, of commit: FoundCommit, sequence: UInt64, lost: UInt64, from file: DataFile
    ) throws {}
}
