internal import ArgumentParser
internal import HeartwoodFileSystem

/// What every path on the command line is held to.
enum PathArgument {
    /// - Throws: `ValidationError`: a quoted `~` would name a directory of that name.
    static func validate(_ path: String?) throws {
        guard let path, HomePath.isMeant(by: path) else { return }
        throw ValidationError(HomePath.refusal)
    }
}
