import Files
import Foundation
public import Logging
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

    init(_ file: YAMLValue, folder: String, problems: inout [Problem]) {
        listen = file["listen"].items.compactMap { ListenEndpoint($0.text) }
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
    private static func tls(_ value: YAMLValue, folder: String, problems: inout [Problem]) -> TLS? {
        guard value.isMapping else { return value.text == "localCA" ? .localCA : nil }
        var paths: [String: String] = [:]
        for key in ["certificate", "privateKeyFile"] {
            let path = value[key].path(from: folder)
            paths[key] = path
            if (try? FileStatus(readable: path))?.kind != .file {
                problems.append(value[key].problem("`tls.\(key)`: \(path) cannot be read"))
            }
        }
        return .files(certificate: paths["certificate"] ?? "", privateKeyFile: paths["privateKeyFile"] ?? "")
    }
}
