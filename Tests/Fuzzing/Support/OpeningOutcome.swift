package import Heartwood
package import HeartwoodFileSystem

/// The outcome of opening a store's files, in parts that can be compared.
package enum OpeningOutcome: Equatable {
    package struct Failure: Equatable {
        package var code: StoreError.Code
        package var message: String
        package var file: String?
        package var offset: UInt64?
        package var lost: ClosedRange<SequenceNumber>?
        package var cause: String?
    }

    package enum Value: Equatable {
        case success([UInt8])
        case failure(StoreError.Code)

        package init(_ result: Result<[UInt8], StoreError>) {
            switch result {
            case .success(let value): self = .success(value)
            case .failure(let error): self = .failure(error.code)
            }
        }
    }

    package struct Entry: Equatable {
        package var key: [UInt8]
        /// nil: the record couldn't be read.
        package var sequence: SequenceNumber?
        package var value: Value
    }

    package struct Found: Equatable {
        package var report: RecoveryReport
        package var entries: [Entry]
    }

    case failed(Failure)
    case opened(Found)

    /// Small buffers, values up to 64 KiB, and a fixed clock in the middle of the expiries.
    package static func configuration(_ fileSystem: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.commitBufferBytes = 64 << 10
        configuration.maximumValueBytes = 64 << 10
        configuration.createIfMissing = true
        configuration.clock = StandingClock()
        return configuration
    }

    /// Recovers a store and reads all of its entries.
    package init(_ configuration: Store.Configuration, at path: String = "/store") {
        do throws(StoreError) {
            let store = try RecoveredStore(path, configuration: configuration)
            var entries: [Entry] = []
            store.forEach { key, entry in
                entries.append(
                    Entry(key: key, sequence: (try? entry.get())?.sequence, value: Value(entry.map(\.value))))
            }
            var report = store.report
            report.duration = .zero
            store.release()
            self = .opened(Found(report: report, entries: entries))
        } catch {
            self = .failed(Failure(error))
        }
    }
}

extension OpeningOutcome.Failure {
    package init(_ error: StoreError) {
        self.init(
            code: error.code, message: error.message, file: error.file, offset: error.offset,
            lost: error.lostSequences, cause: error.cause.map { "\($0)" })
    }
}

/// A fixed clock.
struct StandingClock: StoreClock {
    static let milliseconds: UInt64 = 1 << 40
    func now() -> Timestamp { Timestamp(milliseconds: Self.milliseconds) }
}
