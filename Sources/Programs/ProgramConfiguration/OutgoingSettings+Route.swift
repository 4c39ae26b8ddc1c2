public import Logging
import OAuth
public import OutgoingHTTP
import Policies

extension OutgoingSettings {
    /// The error for an outgoing setting whose file cannot be used, with the key and the path of the file.
    public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
        /// The message for the operator.
        public let description: String
    }

    /// Reads the files, and returns the route for requests to other servers.
    public func route() throws(Unusable) -> OutgoingRoute {
        let password: Secret?
        do throws(PasswordFile.Fault) {
            password = try proxyCredentials?.passwordFile.read()
        } catch {
            throw Unusable(description: "`outgoing.proxyPasswordFile`: \(error)")
        }
        do {
            return try OutgoingRoute(
                proxy: proxy.map {
                    .init(host: $0.host, port: $0.port, username: proxyCredentials?.username, password: password)
                },
                authorityFile: caFile,
                trustedLoopback: trustedLoopback
            )
        } catch {
            throw Unusable(description: "`outgoing.caFile`: \(caFile ?? "") contains no readable certificates")
        }
    }
}

/// The environment variables with which other programs configure a proxy, and which these programs do not read.
public enum ProxyVariables {
    private static let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"]

    /// Returns the names of the variables that are set and not empty, in upper or lower case, without their values.
    public static func set(in environment: [String: String]) -> [String] {
        (names + names.map { $0.lowercased() }).filter { environment[$0]?.isEmpty == false }
    }

    /// Logs one notice if the environment has any of the variables.
    public static func log(to logger: Logger, in environment: [String: String]) {
        let names = set(in: environment)
        guard !names.isEmpty else { return }
        logger.notice(
            "proxy variables of the environment are not read",
            metadata: ["variables": "\(names.joined(separator: ", "))"]
        )
    }
}
