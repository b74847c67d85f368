internal import ArgumentParser
internal import HeartwoodFileSystem

/// The check of every path on the command line.
enum PathArgument {
    /// - Parameter what: What the path is of, in a message.
    /// - Throws: `ValidationError` for an empty path, and for a leading `~`: if it was quoted, it would name a
    ///   directory of that name.
    static func validate(_ path: String?, _ what: String) throws {
        guard let path else { return }
        if path.isEmpty { throw ValidationError("\(what) has no name") }
        if HomePath.isMeant(by: path) { throw ValidationError(HomePath.refusal) }
    }
}
