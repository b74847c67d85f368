/// The conformance suite: what every engine has to pass that conforms to ``KeyValueStore``.
///
/// It needs no test framework. With Swift Testing, each check is one test:
///
/// ```swift
/// @Test(arguments: ConformanceCheck.all)
/// func conforms(_ check: ConformanceCheck) async throws {
///     try await check.run(on: .init("MyEngine") { try await MyEngine() })
/// }
/// ```
///
/// Every engine passes that keeps the promises, also one with sparse sequence numbers, spurious `.conflict` and views
/// that end.
public enum KeyValueStoreConformance {
    /// An engine that is checked.
    public struct Subject: Sendable, CustomStringConvertible {
        /// The engine's name, for messages.
        public var description: String
        /// Makes a new, empty store.
        public var makeStore: @Sendable () async throws -> any KeyValueStore
        /// Closes a store that a check has used. By default nothing happens.
        public var close: @Sendable (any KeyValueStore) async -> Void = { _ in }
        /// Closes a store and opens it again with its data. Nil if the engine keeps nothing.
        public var reopen: (@Sendable (any KeyValueStore) async throws -> any KeyValueStore)?
        /// Advances the clock by which keys expire. Nil if it can't be advanced. Checks that share a clock must not run
        /// at the same time.
        public var advanceClock: (@Sendable (Duration) async -> Void)?
        /// When a check has failed because it hasn't ended. Only for engines that hang: no check measures time.
        public var deadline: Duration = .seconds(300)

        /// Creates a subject.
        public init(_ description: String, makeStore: @escaping @Sendable () async throws -> any KeyValueStore) {
            (self.description, self.makeStore) = (description, makeStore)
        }
    }

    /// The results of all checks.
    public struct Report: Sendable {
        /// The checks that the engine has passed.
        public var passed: [ConformanceCheck] = []
        /// The checks that need what the subject can't do, and what that is.
        public var skipped: [(check: ConformanceCheck, reason: String)] = []
        /// The checks that the engine has failed.
        public var failed: [ConformanceFailure] = []
    }

    /// Runs all checks, one after the other.
    public static func run(on subject: Subject) async -> Report {
        var report = Report()
        for check in ConformanceCheck.all {
            do throws(ConformanceFailure) {
                switch try await check.run(on: subject) {
                case .passed: report.passed.append(check)
                case .skipped(let reason): report.skipped.append((check, reason))
                }
            } catch {
                report.failed.append(error)
            }
        }
        return report
    }
}
