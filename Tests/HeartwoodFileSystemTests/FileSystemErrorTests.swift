import Foundation
import HeartwoodFileSystem
import Testing

@Suite struct FileSystemErrorTests {
    @Test func sortsCodesIntoClasses() {
        for code in [ENOSPC, EDQUOT, EFBIG] { #expect(error(code).isOutOfSpace) }
        for code in [EACCES, EPERM, EROFS] { #expect(error(code).isPermission) }
        for code in [EMFILE, ENFILE] { #expect(error(code).isTooManyFiles) }
        for code in [EOPNOTSUPP, ENOTSUP, ENOSYS] { #expect(error(code).isUnsupported) }
        #expect(error(ENOENT).isNotFound)
        #expect(error(EEXIST).isAlreadyExists)
        #expect(error(EINTR).isInterrupted)
        #expect(error(EWOULDBLOCK, .lock).isLocked)
        #expect(!error(EWOULDBLOCK, .read).isLocked)
        let other = error(EIO)
        #expect(!other.isOutOfSpace && !other.isPermission && !other.isTooManyFiles && !other.isUnsupported)
        #expect(!other.isNotFound && !other.isAlreadyExists && !other.isInterrupted && !other.isLocked)
    }

    @Test func describesItself() {
        let full = FileSystemError(operation: .write, path: "/data/log", code: ENOSPC)
        #expect(full.symbol == "ENOSPC")
        #expect(full.systemText == "No space left on device")
        #expect("\(full)" == "write of /data/log failed: No space left on device (ENOSPC)")
        let held = FileSystemError(operation: .lock, path: "/data/LOCK", code: EWOULDBLOCK, lockHolder: 42)
        #expect("\(held)".hasSuffix("(EAGAIN), held by process 42"))
        #expect(error(9999).symbol == "errno 9999")
        #expect(!error(9999).systemText.isEmpty)
        for operation in FileSystemError.Operation.allCases {
            #expect("\(error(EIO, operation))".contains(" /f failed: "))
        }
    }

    @Test func saysWhatMakesSpace() {
        #expect(error(ENOSPC).spaceRemedy == "free some space")
        #expect(error(EDQUOT).spaceRemedy.contains("quota"))
        #expect(error(EFBIG).spaceRemedy.contains("ulimit -f") && !error(EFBIG).spaceRemedy.contains("free"))
    }

    private func error(_ code: Int32, _ operation: FileSystemError.Operation = .write) -> FileSystemError {
        FileSystemError(operation: operation, path: "/f", code: code)
    }
}
