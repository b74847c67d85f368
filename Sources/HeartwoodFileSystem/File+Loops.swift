internal import CHeartwood
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension File {
    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: How many bytes were read. This is less than the size of the buffer only at the end of the file.
    /// - Throws: ``FileSystemError``, other than `EINTR`. Part of the buffer may have been overwritten.
    package func readFully(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let length = min(buffer.count - done, largestTransfer)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + length)])
            let position = offset &+ UInt64(done)
            let count = try retryingInterrupted { () throws(FileSystemError) in try read(into: part, at: position) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``FileSystemError``, other than `EINTR`; `EIO` if the system writes nothing and reports no error. Part
    ///   of the bytes may have been written.
    package func writeFully(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let length = min(bytes.count - done, largestTransfer)
            let part = UnsafeRawBufferPointer(rebasing: bytes[done..<(done + length)])
            let position = offset &+ UInt64(done)
            let count = try retryingInterrupted { () throws(FileSystemError) in try write(part, at: position) }
            guard count > 0 else { throw FileSystemError(operation: .write, path: path, code: EIO) }
            done += count
        }
    }

    /// Writes `count` zeros from `offset` on.
    ///
    /// - Throws: The same errors as ``writeFully(_:at:)``.
    package func zero(from offset: UInt64, count: UInt64) throws(FileSystemError) {
        var done: UInt64 = 0
        while done < count {
            let length = Int(min(count - done, UInt64(zeros.count)))
            try writeFully(UnsafeRawBufferPointer(rebasing: zeros[..<length]), at: offset &+ done)
            done += UInt64(length)
        }
    }

    /// Reserves space for `count` bytes from `offset` on, with any file system.
    ///
    /// If the file system has no such operation, zeros are written from the end of the file on. Existing bytes and
    /// holes are not changed, so holes stay without reserved space.
    ///
    /// - Throws: ``FileSystemError``, other than `EINTR`.
    package func allocateFully(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        guard count > 0 else { return }
        do {
            try retryingInterrupted { () throws(FileSystemError) in try allocate(count, at: offset) }
        } catch let error where error.isUnsupported || error.code == EINVAL {
            let (end, overflow) = offset.addingReportingOverflow(count)
            guard !overflow else { throw error }
            let start = max(try size(), offset)
            if start < end { try zero(from: start, count: end - start) }
        }
    }
}

/// Most bytes per call. Linux transfers at most 2 GiB less a page, and Darwin refuses more than 2 GiB.
private let largestTransfer = 1 << 30

/// 256 KiB of shared zeros. Never written to.
nonisolated(unsafe) private let zeros: UnsafeRawBufferPointer = {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    block.setToZero()
    return UnsafeRawBufferPointer(block)
}()

/// Repeats `body` while signals interrupt it.
@inline(__always)
private func retryingInterrupted<R>(_ body: () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
    while true {
        do {
            return try body()
        } catch let error where error.isInterrupted {
            continue
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    func setToZero() {
        if let baseAddress { heartwood_zero(baseAddress, count) }
    }
}
