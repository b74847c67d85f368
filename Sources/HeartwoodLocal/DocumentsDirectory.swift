public import Foundation

#if !canImport(Darwin)
/// Has `.documentsDirectory` where Foundation doesn't. `URL` is the only type that conforms.
///
/// It is an extension of a protocol, so that it gives way to a member of `URL` itself: once Foundation has
/// `URL.documentsDirectory` on this platform, `.documentsDirectory` means that one, without a change of a program.
public protocol DocumentsLocation {}

extension URL: DocumentsLocation {}

extension DocumentsLocation where Self == URL {
    /// The documents directory of the user: `$XDG_DOCUMENTS_DIR` if that is an absolute path, otherwise `Documents` in
    /// the home directory. It need not exist: opening a ``LocalRepository`` creates it.
    ///
    /// `FileManager` isn't asked. On Linux it returns the text of the user's `user-dirs.dirs` with its quotes and with
    /// `$HOME` in it, which is no path.
    public static var documentsDirectory: URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DOCUMENTS_DIR"], path.hasPrefix("/") {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let home = environment["HOME"].map { URL(fileURLWithPath: $0, isDirectory: true) }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent("Documents", isDirectory: true)
    }
}
#endif
