import Files
import Foundation
public import Logging
import StrictYAML
public import Systemd

/// HTTP server, log and measurements, as both daemons' files set them.
public struct ServerSettings: Hashable, Sendable {
    /// Origin of the certificate.
    public enum TLS: Hashable, Sendable {
        /// Paths of PEM files: the certificate and those it is signed by, and its private key.
        case files(certificate: String, privateKeyFile: String)
        /// The daemon's own, for localhost, in its state directory.
        case localCA
    }

    /// Addresses of the HTTP server.
    public let listen: [ListenEndpoint]
    /// TLS of the HTTP server, if it has any.
    public let tls: TLS?
    /// True behind a proxy that speaks TLS.
    public let behindProxy: Bool
    /// The least severe event that is logged.
    public let logLevel: Logger.Level
    /// Format of the log.
    public let logFormat: ServiceLog.Format
    /// An address for measurements alone.
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
                        "`listen`: \(endpoint) can be reached by others without TLS; set `tls`, or `behindProxy: true` if a proxy has it"
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
                file["metrics"]["listen"].warning("`metrics.listen`: \(metricsListen) can be reached by others")
            )
        }
    }
}

extension ServerSettings {
    /// What `tls` says; files that cannot be read are problems.
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
