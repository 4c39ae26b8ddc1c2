import CLinux
public import Foundation
public import Moments

/// Reports this process's state to the service manager, if there is one (`sd_notify(3)`).
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

    /// The interval at which to call ``aliveAndWell()``, half the watchdog timeout, or `nil` without a watchdog.
    public var watchdogInterval: Duration? { watchdog.map { $0 / 2 } }

    /// Reports that the service is ready, with the text that `systemctl status` shows.
    public func ready(status: String? = nil) {
        send(["READY=1"] + statusLine(status))
    }

    /// Reports that a reload of the configuration began at `now`.
    public func reloading(at now: Moment) {
        send(["RELOADING=1", "MONOTONIC_USEC=\(now.boot * 1000)"])
    }

    /// Reports that the service is stopping, with the text that `systemctl status` shows.
    public func stopping(status: String? = nil) {
        send(["STOPPING=1"] + statusLine(status))
    }

    /// Sends a keep-alive to the watchdog.
    public func aliveAndWell() {
        send(["WATCHDOG=1"])
    }

    /// Asks the service manager to store a descriptor (`FDSTORE=1`), and returns whether the message was sent.
    ///
    /// The service manager silently drops the descriptor if it already stores `FileDescriptorStoreMax=` descriptors.
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

    /// Sends `lines` and ignores failures, because the service also works without a service manager.
    private func send(_ lines: [String]) {
        guard let path else { return }
        _ = clinux_notify(path, lines.joined(separator: "\n"))
    }
}
