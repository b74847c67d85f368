/// Paths such as `~/store`. Only a shell replaces the `~`; a program that is given one would make a directory named `~`.
package enum HomePath {
    /// Whether the first part of a path begins with `~`.
    package static func isMeant(by path: String) -> Bool { path.utf8.first == UInt8(ascii: "~") }

    /// What to say where such a path is refused.
    package static let refusal =
        "only a shell replaces the '~' at the beginning of a path by the home directory: give the whole path, or put './' "
        + "before it for a directory that has this name"
}
