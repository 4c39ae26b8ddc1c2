import Files
import Foundation
public import Logging
import Policies
import StrictYAML
public import Systemd

/// The settings that both daemons have for the HTTP server, the log and the metrics.
public struct ServerSettings: Hashable, Sendable {
    /// The source of the HTTP server's certificate.
    public enum TLS: Hashable, Sendable {
        /// PEM files with the certificate chain and its private key, specified by their paths.
        case files(certificate: String, privateKeyFile: String)
        /// A certificate for localhost that the daemon creates in its state directory.
        case localCA
    }

    /// The addresses on which the HTTP server listens.
    public let listen: [ListenEndpoint]
    /// Whether `listen` has its default value, because it is not set or is set to that value.
    public let isDefaultListen: Bool
    /// The TLS settings of the HTTP server, or `nil` if the server does not use TLS.
    public let tls: TLS?
    /// Whether the daemon runs behind a proxy that terminates TLS.
    public let behindProxy: Bool
    /// The lowest level that is logged.
    public let logLevel: Logger.Level
    /// The format of the log.
    public let logFormat: ServiceLog.Format
    /// The separate address for metrics, or `nil` if no separate address is configured.
    public let metricsListen: ListenEndpoint?

    /// Reads the settings of a daemon whose default `listen` has this port.
    init(_ file: YAMLValue, port: UInt16, folder: String, problems: inout [Problem]) {
        listen = file["listen"].items.compactMap { ListenEndpoint($0.text) }
        isDefaultListen = listen == ListenEndpoint.standard(port: port)
        behindProxy = file["behindProxy"].flag
        logLevel = file["log"]["level"].choice(refused: .info)
        logFormat = file["log"]["format"].choice(refused: .journal)
        metricsListen = file["metrics"]["listen"].textUnlessNone.flatMap(ListenEndpoint.init)
        tls = Self.tls(file["tls"], folder: folder, problems: &problems)
        var seen: Set<ListenEndpoint> = []
        for item in file["listen"].items {
            guard let endpoint = ListenEndpoint(item.text) else { continue }
            if !seen.insert(endpoint).inserted, endpoint.port != 0 {
                problems.append(item.problem("`listen` has \(endpoint) twice"))
            }
            if !endpoint.isLoopback, tls == nil, !behindProxy {
                problems.append(
                    item.problem(
                        "`listen`: \(endpoint) can be reached by other machines without TLS; set `tls`, or `behindProxy: true` if a proxy terminates TLS"
                    )
                )
            }
            if !endpoint.isLoopback, tls == .localCA, !behindProxy {
                problems.append(
                    item.problem(
                        "`listen`: \(endpoint) is not loopback, and the certificate of `tls: localCA` is for localhost only"
                    )
                )
            }
        }
        if let metricsListen, !metricsListen.isLoopback {
            problems.append(
                file["metrics"]["listen"].warning("`metrics.listen`: \(metricsListen) can be reached by other machines")
            )
        }
    }
}

extension ServerSettings {
    /// Returns the addresses of ``listen``, but of the default only those that this machine has.
    ///
    /// `leftOut` is called for each of the others. If the machine has none of them, all are returned.
    public func available(leftOut: (ListenEndpoint) -> Void = { _ in }) -> [ListenEndpoint] {
        let missing = isDefaultListen ? listen.filter { LocalAddress.isMissing($0.host) } : []
        guard missing.count < listen.count else { return listen }
        missing.forEach(leftOut)
        return listen.filter { !missing.contains($0) }
    }

    /// Returns the addresses to listen on, and logs each address of the default that this machine does not have.
    public func available(_ logger: Logger) -> [ListenEndpoint] {
        available {
            logger.notice("address left out, this machine does not have it", metadata: ["address": "\($0)"])
        }
    }

    private static func tls(_ value: YAMLValue, folder: String, problems: inout [Problem]) -> TLS? {
        guard value.isMapping else { return value.text == "localCA" ? .localCA : nil }
        var paths: [String: String] = [:]
        for key in ["certificate", "privateKeyFile"] {
            let path = value[key].path(from: folder)
            paths[key] = path
            if (try? FileStatus(readable: path))?.kind != .file {
                problems.append(value[key].problem("`tls.\(key)`: \(path) cannot be read"))
            } else if let fault = PasswordFile.markFault(ofPEM: path) {
                problems.append(value[key].problem("`tls.\(key)`: \(path) \(fault)"))
            }
        }
        return .files(certificate: paths["certificate"] ?? "", privateKeyFile: paths["privateKeyFile"] ?? "")
    }
}
