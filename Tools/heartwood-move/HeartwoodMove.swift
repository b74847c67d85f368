import ArgumentParser

#if Etcd
import Dispatch
import Foundation
import Heartwood
import HeartwoodEtcd
import KeyValueStore

/// Moves a store from files into an etcd cluster, or back.
@main
struct HeartwoodMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-move",
        abstract: "Moves a store from files into an etcd cluster, or back.",
        discussion: """
            It copies the store while programs write it, and then follows what they write. Stop those programs, and \
            press Ctrl-C: it writes what is left, checks that both are equal, and ends. Then start the programs on the \
            other store. It may be interrupted at any time, and started again: only what differs is written.

            Exit codes: 0 the move is complete; 1 it isn't, start it again; 64 wrong usage.
            """)

    enum Direction: String, ExpressibleByArgument, CaseIterable {
        case toCluster = "to-cluster"
        case toFiles = "to-files"
    }

    @Argument(help: "to-cluster or to-files.") var direction: Direction
    @Argument(help: "The directory of the store's files.") var store: String
    @Option(help: "The servers: host:port,host:port, each with https:// before it for TLS.") var endpoints: String
    @Option(help: "What the keys in the cluster begin with.") var prefix = "heartwood/"
    @Option(help: "A PEM file with the certificates that servers are verified with; the system's by default.")
    var trustRoots: String?
    @Option(help: "A PEM file with this client's certificate.") var certificate: String?
    @Option(help: "A PEM file with the certificate's key.") var key: String?
    @Option(help: "The user of the cluster.") var user: String?
    @Option(help: "A file with the user's password.") var passwordFile: String?
    @Flag(help: "Don't follow: programs that write the source are already stopped.") var finish = false

    func run() async throws {
        let cluster = try await EtcdStore.open(try settings())
        do {
            switch direction {
            case .toCluster:
                try await move(try await ReadOnlyStore.open(at: store), to: cluster)
            case .toFiles:
                let files = try await Store.open(at: store)
                try await move(cluster, to: files)
                try await files.close()
            }
        } catch let error as StoreError {
            await cluster.close()
            FileHandle.standardError.write(Data("heartwood-move: \(error)\n".utf8))
            throw ExitCode(1)
        }
        await cluster.close()
    }

    private func settings() throws -> EtcdStore.Configuration {
        let parsed = try endpoints.split(separator: ",").map { text in
            guard let endpoint = EtcdStore.Configuration.Endpoint(String(text)) else {
                throw ValidationError("'\(text)' isn't an endpoint: write host:port or https://host:port")
            }
            return endpoint
        }
        var settings = EtcdStore.Configuration(endpoints: parsed, prefix: prefix)
        let files = EtcdStore.Configuration.TLS(
            trustRoots: trustRoots, certificateChain: certificate, privateKey: key)
        if files != .init() { settings.tls = files }
        if let user {
            guard let passwordFile else { throw ValidationError("--user needs --password-file") }
            let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
            settings.credentials = .init(user: user, password: text.trimmingCharacters(in: .newlines))
        }
        return settings
    }

    private func move(_ source: some ReadableKeyValueStore, to target: some KeyValueStore) async throws {
        let move = StoreMove(from: source, to: target)
        if !finish {
            var summary = try await move.synchronize()
            print("\(summary.keys) keys copied; following. Stop the programs that write, then press Ctrl-C.")
            // Also into a file, at once.
            fflush(nil)
            let (signals, sources) = interruptions()
            while try await !follow(move, summary.position, until: signals) { summary = try await move.synchronize() }
            for source in sources { source.cancel() }
        }
        print("\(try await move.finish()) keys are equal in both stores: the move is complete")
    }

    /// Follows until Ctrl-C. False if the position isn't available any more.
    private func follow(
        _ move: StoreMove, _ position: ChangePosition, until interrupted: AsyncStream<Void>
    ) async throws -> Bool {
        let following = Task { try await move.follow(after: position) }
        let waiting = Task {
            for await _ in interrupted { break }
            following.cancel()
        }
        defer { waiting.cancel() }
        do {
            try await following.value
        } catch let error as StoreError where error.code == .cancelled {
            return true
        } catch let error as StoreError where error.code == .positionUnavailable {
            return false
        }
        return true
    }

    /// One element for each SIGINT and SIGTERM, as long as the sources live.
    private func interruptions() -> (signals: AsyncStream<Void>, sources: [any DispatchSourceSignal]) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        return (signals, sources)
    }
}
#else
/// Without the package trait "Etcd" there is nothing to move to.
@main
struct HeartwoodMove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-move", abstract: "Moves a store into an etcd cluster. Built without the trait 'Etcd'.")

    func run() throws {
        throw ValidationError("it was built without the package trait 'Etcd': build it with --traits Etcd")
    }
}
#endif
