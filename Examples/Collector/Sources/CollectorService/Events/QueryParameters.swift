import HummingbirdCore

/// The parameters that several listings have.
extension URI {
    /// A time in milliseconds since 1970; nil if there is no such parameter.
    ///
    /// - Throws: A problem for a value that can't be read.
    func time(_ name: Substring) throws -> UInt64? {
        guard let text = queryParameters[name] else { return nil }
        if let milliseconds = UInt64(text), milliseconds < Timestamps.end { return milliseconds }
        // A plus sign in a query is a space.
        guard let time = Timestamps.parse(String(text).replacing(" ", with: "+", maxReplacements: 1)) else {
            throw Problem.badRequest(
                "invalid-query", "\(name): give a time of RFC 3339, or milliseconds since 1970")
        }
        return time
    }

    /// The parameter `limit`.
    ///
    /// - Throws: A problem for a value that can't be read, or is more than the maximum.
    func limit(maximum: Int) throws -> Int? {
        guard let text = queryParameters["limit"] else { return nil }
        guard let limit = Int(text), 1...maximum ~= limit else {
            throw Problem.badRequest("invalid-query", "limit: 1 to \(maximum)")
        }
        return limit
    }
}
