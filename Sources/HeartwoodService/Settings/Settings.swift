#if Service
internal import Configuration
internal import KeyValueStore

/// Reads settings, and names those that are wrong. `ConfigReader` alone takes a wrong value for an absent one.
struct Settings {
    private let config: ConfigReader

    init(_ config: ConfigReader) { self.config = config }

    func integer<Value: FixedWidthInteger>(
        _ key: ConfigKey, in range: ClosedRange<Value>
    ) async throws(StoreError) -> Value? {
        guard let value = try await read(key, { try await $0.fetchInt(forKey: key) }) else { return nil }
        guard let exact = Value(exactly: value), range.contains(exact) else {
            throw wrong(key, "\(value)", "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return exact
    }

    func number(_ key: ConfigKey, from least: Double) async throws(StoreError) -> Double? {
        guard let value = try await read(key, { try await $0.fetchDouble(forKey: key) }) else { return nil }
        guard value.isFinite, value >= least else { throw wrong(key, "\(value)", "a number of at least \(least)") }
        return value
    }

    /// A number of seconds. A year at most, so that no sum of times overflows.
    func seconds(_ key: ConfigKey, from least: Double = 0) async throws(StoreError) -> Duration? {
        guard let value = try await number(key, from: least) else { return nil }
        let most = 366.0 * 86_400
        guard value <= most else { throw wrong(key, "\(value)", "a number of seconds up to \(Int(most))") }
        return .nanoseconds(Int64(value * 1e9))
    }

    func flag(_ key: ConfigKey) async throws(StoreError) -> Bool? {
        try await read(key) { try await $0.fetchBool(forKey: key) }
    }

    func text(_ key: ConfigKey) async throws(StoreError) -> String? {
        try await read(key) { try await $0.fetchString(forKey: key) }
    }

    func required(_ key: ConfigKey) async throws(StoreError) -> String {
        if let value = try await text(key), !value.isEmpty { return value }
        throw StoreError(.invalidArgument, "the setting \"\(key)\" is missing: set it\(place)")
    }

    /// One of several words.
    func choice<Value>(_ key: ConfigKey, _ choices: KeyValuePairs<String, Value>) async throws(StoreError) -> Value? {
        guard let word = try await text(key) else { return nil }
        if let found = choices.first(where: { $0.key == word }) { return found.value }
        throw wrong(key, "\"\(word)\"", "one of " + choices.map(\.key).joined(separator: ", "))
    }

    func wrong(_ key: ConfigKey, _ value: String, _ expected: String) -> StoreError {
        StoreError(.invalidArgument, "the setting \"\(key)\" is \(value): make it \(expected)\(place)")
    }

    /// The reader's own words, which have the prefix of its keys and the names of its providers.
    private var place: String { " (in \(config))" }

    private func read<Value>(
        _ key: ConfigKey, _ fetch: (ConfigReader) async throws -> Value?
    ) async throws(StoreError) -> Value? {
        do {
            return try await fetch(config)
        } catch {
            throw StoreError(
                .invalidArgument, "the setting \"\(key)\" can't be read as \(Value.self): correct it\(place)",
                cause: error)
        }
    }
}
#endif
