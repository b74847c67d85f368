// The example of a documentation comment in Sources/HeartwoodTesting/CrashTest/CrashTest.swift, with the spacing that
// it has there.
// swift-format-ignore-file
import HeartwoodTesting

struct Order {
    typealias ID = Int
    let id: ID
}

struct OrderLost: Error {
    let id: Order.ID

    init(_ id: Order.ID) { self.id = id }
}

/// A service.
actor OrderBook {
    private var orders: [Order.ID: Order] = [:]

    static func open(at path: String, on disk: SimulatedDisk) async throws -> OrderBook { OrderBook() }
    func place(_ order: Order) async throws { orders[order.id] = order }
    func contains(_ id: Order.ID) async throws -> Bool { orders[id] != nil }
    func close() async throws {}
}

func crashTestExample(_ order: Order) async throws {
    let report = try await CrashTest().run { disk in
        let orders = try await OrderBook.open(at: "/orders", on: disk)
        try await orders.place(order)
        disk.note(order.id)                        // acknowledged: from here on it must survive
        try await orders.close()
    } check: { disk, crash in
        let orders = try await OrderBook.open(at: "/orders", on: disk)
        for id in crash.notes(of: Order.ID.self) {
            guard try await orders.contains(id) else { throw OrderLost(id) }
        }
    }
    _ = report
}
