import CLinux
public import Foundation
public import Moments

/// Notifies the service manager, if there is one, of this process's state (`sd_notify(3)`).
public struct ServiceNotifier: Sendable {
    private let path: String?
    private let watchdog: Duration?

    /// Creates a notifier from `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` (`sd_watchdog_enabled(3)`).
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let mine = environment["WATCHDOG_PID"].map { Int32($0) == ProcessInfo.processInfo.processIdentifier } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = mine ? period.map { .microseconds($0) } : nil
    }

    /// The interval for ``aliveAndWell()``: half the watchdog timeout, or `nil` without a watchdog.
    public var watchdogInterval: Duration? { watchdog.map { $0 / 2 } }

    /// Reports that the service is ready, with the `status` that `systemctl status` shows.
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
    /// Returns whether the message was sent. The manager silently drops descriptors beyond `FileDescriptorStoreMax=`.
    func keep(_ descriptor: Int32, named name: String) -> Bool {
        guard let path else { return false }
        return clinux_notify_with(path, "FDSTORE=1\nFDNAME=\(name)", descriptor) == 0
    }

    func forget(_ name: String) {
        send(["FDSTOREREMOVE=1", "FDNAME=\(name)"])
    }

    private func statusLine(_ text: String?) -> [String] {
        text.map { ["STATUS=" + $0.replacing("\n", with: " ")] } ?? []
    }

    /// Sends `lines` to the service manager.
    ///
    /// Ignores failures, because the service also works without a service manager.
    private func send(_ lines: [String]) {
        guard let path else { return }
        _ = clinux_notify(path, lines.joined(separator: "\n"))
    }
}
