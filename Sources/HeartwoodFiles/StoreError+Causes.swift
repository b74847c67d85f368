package import HeartwoodFileSystem
package import HeartwoodFormat

extension StoreError {
    /// A system error, with the matching code and remedy.
    ///
    /// - Parameter doing: The failed operation, as a clause: "the log segment could not be written".
    package init(_ cause: FileSystemError, _ doing: String) {
        let code: Code
        let remedy: String
        if let distrust = cause.distrust {
            (code, remedy) = (.permission, distrust.remedy)
        } else if cause.isOutOfSpace {
            (code, remedy) = (.outOfSpace, cause.spaceRemedy + "; the store then continues automatically")
        } else if cause.isPermission {
            (code, remedy) = (.permission, Self.access(cause))
        } else if cause.isTooManyFiles {
            (code, remedy) = (.tooManyFiles, "raise the limit of open files or close some")
        } else if cause.isOutOfMemory {
            (code, remedy) = (.inputOutput, "give the process more memory")
        } else if cause.isBadPath {
            (code, remedy) = (.notFound, "no store can have such a path: give another one")
        } else if cause.isNoRegularFile {
            (code, remedy) = (
                .inputOutput, "what has this name is no regular file: move it away while no process uses the store"
            )
        } else if cause.isNotFound, cause.operation == .lock || cause.operation == .createDirectory {
            (code, remedy) = (.notFound, "no file can be made there: name a directory on a disk")
        } else if cause.isNotFound {
            (code, remedy) = (
                .inputOutput, "it was removed while the store was in use"
            )
        } else {
            (code, remedy) = (.inputOutput, "look at the disk and the kernel's log; the data is not judged by this")
        }
        self.init(code, "\(doing): \(remedy)", file: cause.path, cause: cause)
    }

    /// The remedy if access was denied.
    private static func access(_ cause: FileSystemError) -> String {
        switch (cause.isReadOnly, cause.operation) {
        case (true, .lock):
            "the disk is mounted read-only, and opening a store takes a lock: mount it for writing, "
                + "open a copy on another disk, or use what only reads the files: "
                + "verify, inspect, log, and repair with an output elsewhere"
        case (true, _): "the disk is mounted read-only: mount it for writing, or name a directory on another one"
        case (false, .list), (false, .status), (false, .read):
            "give this user read access to it, and access to the directories above it"
        case (false, .lock):
            "give this user read and write access to the store's directory; verify, inspect and log only read"
        case (false, .createDirectory):
            "give this user write access to the directory above it, or name a directory elsewhere"
        case (false, _): "give this user read and write access to the store's directory"
        }
    }

    /// Bytes in a file are not what was written there.
    package static func corruption(
        _ what: String, file: String, offset: UInt64, lost: ClosedRange<SequenceNumber>? = nil,
        cause: FormatError? = nil
    ) -> StoreError {
        StoreError(.corruption, what + corruptionRemedy, file: file, offset: offset, cause: cause).losing(lost)
    }

    /// The same corruption error, with the sequence numbers that are lost.
    package func losing(_ lost: ClosedRange<SequenceNumber>?) -> StoreError {
        guard let lost, message.hasSuffix(Self.corruptionRemedy) else { return self }
        var error = self
        error.lostSequences = lost
        error.message.removeLast(Self.corruptionRemedy.count)
        error.message +=
            lost.lowerBound == lost.upperBound
            ? "; write number \(lost.lowerBound) is lost"
            : "; writes number \(lost.lowerBound) to \(lost.upperBound) are lost"
        error.message += Self.corruptionRemedy
        return error
    }

    /// The error of an opening that a finding refuses.
    package init(_ finding: Finding) {
        if let failure = finding.failure {
            self.init(failure.error, failure.doing)
        } else if finding.severity == .unsupported, let cause = finding.cause {
            self = .unsupported(cause, file: finding.file, offset: finding.offset)
        } else if finding.severity == .unreadable {
            self.init(.inputOutput, finding.what, file: finding.file, offset: finding.offset)
        } else if finding.what == RepairGuard.message {
            self.init(.corruption, finding.what, file: finding.file, offset: finding.offset)
        } else {
            self = .corruption(
                finding.what, file: finding.file, offset: finding.offset, lost: finding.lost, cause: finding.cause)
        }
    }

    private static let corruptionRemedy = ": keep a copy of the directory, then repair it or go back to a backup"

    /// A file of a newer version of the format.
    package static func unsupported(_ cause: FormatError, file: String, offset: UInt64) -> StoreError {
        StoreError(
            .unsupportedFormat, "the file was written by a newer version of Heartwood: open it with that version",
            file: file, offset: offset, cause: cause)
    }
}
