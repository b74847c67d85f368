internal import ArgumentParser
internal import HeartwoodFileSystem

/// The check of every path on the command line.
enum PathArgument {
    /// - Throws: `ValidationError` for a leading `~`: if it was quoted, it would name a directory of that name.
    static func validate(_ path: String?) throws {
        guard let path, HomePath.isMeant(by: path) else { return }
        throw ValidationError(HomePath.refusal)
    }
}
