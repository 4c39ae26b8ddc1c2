import CLinux
public import Foundation
public import Moments

/// Notifies the service manager of this process's state (`sd_notify(3)`).
///
/// Does nothing without a service manager.
public struct ServiceNotifier: Sendable {
    private let path: String?
    private let watchdog: Duration?

    /// Creates a notifier for the socket that `environment` names.
    ///
    /// - Parameter environment: Contains `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`
    ///   (`sd_watchdog_enabled(3)`).
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let mine = environment["WATCHDOG_PID"].map { Int32($0) == ProcessInfo.processInfo.processIdentifier } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = mine ? period.map { .microseconds($0) } : nil
    }

    /// The interval for ``aliveAndWell()``: half the watchdog timeout, or `nil` without a watchdog.
    public var watchdogInterval: Duration? { watchdog.map { $0 / 2 } }

    /// Reports that the service is ready.
    ///
    /// `systemctl status` shows `status`.
    public func ready(status: String? = nil) {
        send(["READY=1"] + statusLine(status))
    }

    /// Reports that a reload of the configuration began at `now`.
    public func reloading(at now: Moment) {
        send(["RELOADING=1", "MONOTONIC_USEC=\(now.boot * 1000)"])
    }

    /// Reports that the service is stopping.
    public func stopping(status: String? = nil) {
        send(["STOPPING=1"] + statusLine(status))
    }

    /// Sends a keep-alive to the watchdog.
    public func aliveAndWell() {
        send(["WATCHDOG=1"])
    }

    /// Stores an open descriptor in the service manager under `name`, for the next start (`FDSTORE=1`).
    ///
    /// - Returns: Whether the message was sent. The manager silently drops descriptors beyond
    ///   `FileDescriptorStoreMax=`.
    func keep(_ descriptor: Int32, named name: String) -> Bool {
        guard let path else { return false }
        return clinux_notify_with(path, "FDSTORE=1\nFDNAME=\(name)", descriptor) == 0
    }

    /// Removes the descriptors with this name from the service manager.
    func forget(_ name: String) {
        send(["FDSTOREREMOVE=1", "FDNAME=\(name)"])
    }

    private func statusLine(_ text: String?) -> [String] {
        text.map { ["STATUS=" + $0.replacing("\n", with: " ")] } ?? []
    }

    /// Failures are ignored, because the service also works if no service manager is listening.
    private func send(_ lines: [String]) {
        guard let path else { return }
        _ = clinux_notify(path, lines.joined(separator: "\n"))
    }
}
