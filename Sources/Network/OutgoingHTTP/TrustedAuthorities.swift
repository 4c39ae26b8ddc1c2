import AsyncHTTPClient
import Foundation
import NIOSSL

/// The certificate authorities that this program trusts to identify servers.
public enum TrustedAuthorities {
    /// The path in `SSL_CERT_FILE`, or `nil` to trust the certificate authorities that this machine trusts.
    public static var file: String? {
        let path = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] ?? ""
        return path.isEmpty ? nil : path
    }
}

extension HTTPClient.Configuration {
    /// Trusts the certificate authorities of a PEM file instead of those that this machine trusts.
    ///
    /// Additional certificate authorities, and a choice that the configuration already contains, stay in effect.
    mutating func trust(onlyAuthoritiesOf file: String) {
        var security = tlsConfiguration ?? .makeClientConfiguration()
        guard (security.trustRoots ?? .default) == .default else { return }
        security.trustRoots = .file(file)
        tlsConfiguration = security
    }
}
