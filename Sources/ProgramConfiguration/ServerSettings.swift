import Files
import Foundation
import StrictYAML

/// HTTP server, log and measurements, as both daemons' files set them.
public struct ServerSettings: Hashable, Sendable {
    /// A certificate and its key.
    public struct TLS: Hashable, Sendable {
        /// The path of the certificate and those it is signed by, as PEM.
        public let certificate: String
        /// The path of its private key, as PEM.
        public let privateKeyFile: String
    }

    /// Format of the log.
    public enum LogFormat: String, Sendable {
        /// With priorities, as the journal reads them.
        case journal
        /// For people.
        case text
        /// One object a line.
        case json
    }

    /// Addresses of the HTTP server.
    public let listen: [ListenEndpoint]
    /// TLS of the HTTP server, if it has any.
    public let tls: TLS?
    /// True behind a proxy that speaks TLS.
    public let behindProxy: Bool
    /// The least severe event that is logged, as swift-log calls it.
    public let logLevel: String
    /// Format of the log.
    public let logFormat: LogFormat
    /// One more address for measurements.
    public let metricsListen: ListenEndpoint?

    init(_ file: YAMLValue, folder: String, problems: inout [Problem]) {
        listen = file["listen"].items.compactMap { ListenEndpoint($0.text) }
        behindProxy = file["behindProxy"].flag
        logLevel = file["log"]["level"].text
        logFormat = LogFormat(rawValue: file["log"]["format"].text) ?? .journal
        metricsListen = file["metrics"]["listen"].textUnlessNone.flatMap(ListenEndpoint.init)
        if file["tls"].isMapping {
            let tls = TLS(
                certificate: file["tls"]["certificate"].path(from: folder),
                privateKeyFile: file["tls"]["privateKeyFile"].path(from: folder)
            )
            self.tls = tls
            for (key, path) in [("certificate", tls.certificate), ("privateKeyFile", tls.privateKeyFile)]
            where (try? FileStatus(readable: path))?.kind != .file {
                problems.append(file["tls"][key].problem("`tls.\(key)`: \(path) cannot be read"))
            }
        } else {
            tls = nil
        }
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
        }
        if let metricsListen, !metricsListen.isLoopback {
            problems.append(
                file["metrics"]["listen"].warning("`metrics.listen`: \(metricsListen) can be reached by others")
            )
        }
    }
}

extension YAMLValue {
    /// The path it says, from the file's folder if it is relative.
    func path(from folder: String) -> String {
        text.hasPrefix("/") ? text : folder.hasSuffix("/") ? folder + text : folder + "/" + text
    }
}
