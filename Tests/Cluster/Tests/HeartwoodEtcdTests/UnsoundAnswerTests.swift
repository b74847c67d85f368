import Foundation
import KeyValueStore
import Testing

@testable import HeartwoodEtcd

/// Numbers that no etcd server gives end a call with an error, before anything computes with them.
@Suite struct UnsoundAnswerTests {
    @Test(arguments: [Int64.min, -1, .max, 1 << 62]) func noRevisionIsTakenAsItIs(_ revision: Int64) async throws {
        let cluster = try Cluster(.init(endpoints: [.init(host: "localhost")]))
        var header = EtcdResponseHeader()
        header.revision = revision
        #expect(throws: CallFailure.self) { try cluster.note(header) }
        header.revision = 7
        try cluster.note(header)
        #expect(cluster.knownRevision == 7)
        await cluster.close()

        var pair = EtcdKeyValue()
        pair.modRevision = revision
        var response = EtcdRangeResponse()
        #expect(response.isSound)
        response.kvs = [pair]
        #expect(!response.isSound)
        var operation = EtcdResponseOp()
        operation.responseRange = response
        var transaction = EtcdTxnResponse()
        transaction.responses = [operation]
        #expect(!transaction.isSound)
        var outer = EtcdResponseOp()
        outer.responseTxn = transaction
        transaction.responses = [outer]
        #expect(!transaction.isSound)
    }

    @Test(arguments: [Int64.min, -1, .max]) func noCountIsTakenAsItIs(_ count: Int64) {
        var response = EtcdRangeResponse()
        response.count = count
        #expect(!response.isSound)
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func limitsOfServersAreChecked(_ operations: Int) async {
        var configuration = EtcdStore.Configuration(endpoints: [.init(host: "localhost")])
        configuration.serverOperations = operations
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .invalidArgument)
    }

    @Test func keysAreComparedAsEtcdDoes() {
        let bounds = (lower: Data([1, 2]), upper: Data([1, 3]))
        let keys: [([UInt8], Bool)] = [
            ([], false), ([1], false), ([1, 2], true), ([1, 2, 255], true), ([1, 3], false),
        ]
        for (key, isIn) in keys { #expect(Layout.contains(bounds, Data(key)) == isIn) }
    }
}
