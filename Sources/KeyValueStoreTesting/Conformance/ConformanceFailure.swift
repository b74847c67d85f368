/// A promise that an engine has not kept.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the check.
    public var check = ""
    /// What was done.
    public var action: String
    /// What the engine should have done.
    public var expected: String
    /// What it has done.
    public var found: String
    /// The check's source: module and file.
    public var file: String
    /// The line in the file.
    public var line: Int

    init(_ action: String, expected: String, found: String, _ file: String = #fileID, _ line: Int = #line) {
        (self.action, self.expected, self.found) = (action, expected, found)
        (self.file, self.line) = (file, line)
    }

    /// Everything in one line.
    public var description: String {
        "\(check): \(action): expected \(expected), found \(found) (\(file):\(line))"
    }
}

/// Throws unless two values are equal.
func expect<T: Equatable>(
    _ found: T, is expected: T, _ action: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws {
    if found == expected { return }
    throw ConformanceFailure(action(), expected: "\(shown(expected))", found: "\(shown(found))", file, line)
}

/// Throws unless something is true.
func expect(
    _ isTrue: Bool, _ action: @autoclosure () -> String, expected: @autoclosure () -> String,
    found: @autoclosure () -> String = "something else", file: String = #fileID, line: Int = #line
) throws {
    if isTrue { return }
    throw ConformanceFailure(action(), expected: expected(), found: found(), file, line)
}

/// Throws unless a call throws an error with one of these codes. `.viewEnded` is passed on, and ends the attempt.
nonisolated(nonsending) func expect<R>(
    _ codes: StoreError.Code..., from action: String, file: String = #fileID, line: Int = #line,
    _ body: () async throws -> R
) async throws {
    let expected = codes.map(\.description).joined(separator: " or ")
    let result: R
    do {
        result = try await body()
    } catch let error as StoreError {
        if codes.contains(error.code) { return }
        if error.code == .viewEnded { throw error }
        throw ConformanceFailure(action, expected: expected, found: "\(error.code): \(error)", file, line)
    }
    throw ConformanceFailure(action, expected: expected, found: "no error, but \(shown(result))", file, line)
}

/// A value for a message, shortened.
private func shown<T>(_ value: T) -> String {
    let text = "\(value)"
    return text.count > 400 ? text.prefix(400) + "…" : text
}
