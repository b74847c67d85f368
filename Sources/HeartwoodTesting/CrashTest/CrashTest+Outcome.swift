internal import HeartwoodFileSystem

extension CrashTest {
    /// How much a test did.
    public struct Report: Sendable, CustomStringConvertible {
        /// Calls of the workload to the file system, in all its runs.
        public internal(set) var calls = 0
        /// Crashes that were checked.
        public internal(set) var crashes = 0
        /// Different disk images among the crashes, counted for each run.
        public internal(set) var images = 0
        /// Faults that were injected.
        public internal(set) var faults = 0

        /// One line, such as "59 calls, 420 crashes with 388 images, 0 faults".
        public var description: String {
            "\(calls) calls, \(crashes) crashes with \(images) images, \(faults) faults"
        }
    }

    /// A check that failed, and how to replay it.
    public struct Failure: Error, CustomStringConvertible {
        /// The crash, and what it left on the disk.
        public let crash: Crash
        /// What the check threw.
        public let cause: any Error
        /// The seed of the test.
        public let seed: UInt64
        /// The fault that was injected into the workload; nil if there was none.
        public let fault: Fault?
        /// The directory in which the image was kept; nil if it was not kept.
        public let evidence: String?

        /// The arguments of a ``CrashTest`` that replays only this failure.
        public var replay: String {
            let fault = fault.map { ", fault: \($0.source)" } ?? ""
            return "CrashTest(seed: \(seed), only: CrashState(\"\(crash.state)\")\(fault))"
        }

        /// What went wrong, the calls that preceded the crash, and how to replay it.
        public var description: String {
            let calls = crash.lastCalls(5).map { "\n    \($0)" }.joined()
            let files = crash.image.description.split(separator: "\n").map { "\n    \($0)" }.joined()
            return """
                after a crash: \(cause)
                  again: \(replay)
                  the last calls before the crash:\(calls)
                  what it left:\(files)\(evidence.map { "\n  kept in \($0)" } ?? "")
                """
        }
    }

    /// The state to replay does not exist in this workload, because the workload now makes fewer calls.
    public struct NoSuchState: Error, CustomStringConvertible {
        /// The requested state.
        public let state: CrashState
        /// The most events of any run.
        public let events: Int

        /// One line that describes the error.
        public var description: String {
            "the crash is after \(state.events) events, and there were at most \(events): the workload is another"
        }
    }
}

extension Fault {
    /// The Swift expression that creates the fault.
    var source: String {
        let kinds = operations.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        let path = path.isEmpty ? "" : ", path: \"\(path)\""
        let times = times == 1 ? "" : ", times: \(times == .max ? ".max" : "\(times)")"
        return "Fault([\(kinds)], .\(effect)\(path), at: \(first)\(times))"
    }
}
