package import HeartwoodTesting

/// A decoder under fuzzing: the form of its input, and what must hold for every input.
///
/// A target ends the process if a condition doesn't hold, in release builds too. That is what a fuzzer detects.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The 4,096 bytes at the start of a file.
    case fileHeader = "file-header"
    /// The 48 bytes in front of the records of a commit.
    case commitHeader = "commit-header"
    /// The 32 bytes in front of a key and its value.
    case recordHeader = "record-header"
    /// A whole log segment, read by the scanner.
    case segment
    /// A compressed value.
    case value
    /// A block of a snapshot's keys, with its header.
    case keyBlock = "key-block"
    /// The last 64 bytes of a snapshot.
    case snapshotFooter = "snapshot-footer"
    /// The name of a file in a store's directory.
    case fileName = "file-name"
    /// The contents of a lock file.
    case lockText = "lock-text"
    /// A directory with several files, recovered by an opening.
    case directory
    /// A directory with several files, inspected and repaired.
    case inspection

    /// The maximum length of an input, in bytes.
    package var maximumInput: Int {
        switch self {
        case .fileHeader, .commitHeader, .recordHeader, .snapshotFooter, .fileName, .lockText: 128
        case .value, .keyBlock: 512
        case .segment, .directory, .inspection: 2048
        }
    }

    /// Decodes the input, and ends the process if a condition doesn't hold.
    package func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        switch self {
        case .fileHeader: FileHeaderTarget.run(input, in: workspace)
        case .commitHeader: CommitHeaderTarget.run(input, in: workspace)
        case .recordHeader: RecordHeaderTarget.run(input, in: workspace)
        case .segment: SegmentTarget.run(input, in: workspace)
        case .value: ValueTarget.run(input, in: workspace)
        case .keyBlock: KeyBlockTarget.run(input, in: workspace)
        case .snapshotFooter: SnapshotFooterTarget.run(input, in: workspace)
        case .fileName: FileNameTarget.run(input)
        case .lockText: LockTextTarget.run(input)
        case .directory: DirectoryTarget.run(input)
        case .inspection: InspectionTarget.run(input)
        }
    }

    /// The input with a few changes, and with checksums (and mostly lengths and numbers) made right again.
    ///
    /// - Parameter blind: For example libFuzzer's own mutator.
    package func mutate(
        _ input: [UInt8], random: inout SeededRandom, blind: BlindMutation, in workspace: Workspace
    ) -> [UInt8] {
        let output =
            switch self {
            case .fileHeader: FileHeaderTarget.mutate(input, &random, blind)
            case .commitHeader: CommitHeaderTarget.mutate(input, &random, blind)
            case .recordHeader: RecordHeaderTarget.mutate(input, &random, blind)
            case .segment: SegmentTarget.mutate(input, &random, blind, workspace)
            case .value: ValueTarget.mutate(input, &random, blind, workspace)
            case .keyBlock: KeyBlockTarget.mutate(input, &random, blind)
            case .snapshotFooter: SnapshotFooterTarget.mutate(input, &random, blind)
            case .fileName: FileNameTarget.mutate(input, &random, blind)
            case .lockText: blind(input, maximumInput)
            case .directory: DirectoryTarget.mutate(input, &random, blind, workspace)
            case .inspection: InspectionTarget.mutate(input, &random, blind, workspace)
            }
        return output.count <= maximumInput ? output : blind(input, maximumInput)
    }
}

/// Changes bytes without knowledge of their meaning, and returns at most `maximum` bytes.
package typealias BlindMutation = (_ bytes: [UInt8], _ maximum: Int) -> [UInt8]

/// Ends the process unless the condition holds.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { violated(message()) }
}

@inline(never)
func violated(_ message: String) -> Never { fatalError("violated: \(message)") }
