/// Paths such as `~/store`. Only a shell replaces the `~`. A program that gets such a path would create a directory
/// named `~`.
package enum HomePath {
    /// Whether the first part of a path begins with `~`.
    package static func isMeant(by path: String) -> Bool { path.utf8.first == UInt8(ascii: "~") }

    /// The message for a refused path.
    package static let refusal =
        "only a shell replaces the '~' at the beginning of a path by the home directory: give the whole path, or put "
        + "'./' before it for a directory that has this name"
}
