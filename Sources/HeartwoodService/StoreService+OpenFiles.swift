#if Service
internal import HeartwoodFileSystem

extension StoreService {
    /// Raises the number of files and connections that this process may have open (`RLIMIT_NOFILE`), as far as it may:
    /// most systems give a process fewer than it may ask for. A server that accepts more connections than that spends
    /// its time on refused ones. A store needs a descriptor for each file, and two for each feed.
    ///
    /// It concerns the whole process. O(1).
    ///
    /// - Parameter wanted: How many the process needs. A higher limit stays as it is.
    /// - Returns: The limit that is now in effect.
    public static func raiseOpenFiles(to wanted: Int) -> Int {
        Int(clamping: ProcessLimits.raiseOpenFiles(to: UInt64(max(0, wanted))))
    }
}
#endif
