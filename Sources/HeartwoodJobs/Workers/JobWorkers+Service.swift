// The package trait "Service" makes the workers a service. Without it, swift-service-lifecycle is not fetched.
#if Service
public import ServiceLifecycle

/// Runs in a `ServiceGroup`; a graceful shutdown is ``JobWorkers/stop()``.
extension JobWorkers: Service {}
#endif

extension JobWorkers {
    func drainingOnShutdown(_ body: @Sendable () async throws -> Void) async throws {
        #if Service
        try await withGracefulShutdownHandler {
            try await body()
        } onGracefulShutdown: {
            self.stop()
        }
        #else
        try await body()
        #endif
    }
}
