import AsyncHTTPClient
package import Foundation
import NIOCore
package import NIOSSL
import SwiftASN1
import Synchronization
import X509

/// Reads the certificate of a server that the client does not trust, to name the cause of the failure.
///
/// The probe opens a second connection over the same route, and closes it after the handshake. It sends no request.
struct CertificateProbe: Sendable {
    /// The time limit for the connection.
    static let limit: Duration = .seconds(3)

    private struct Seen: Error {}

    private final class Found: Sendable {
        private let value = Mutex<NIOSSLCertificate?>(nil)

        var certificate: NIOSSLCertificate? { value.withLock { $0 } }

        func set(_ certificate: NIOSSLCertificate?) { value.withLock { $0 = certificate } }
    }

    let loopback: LoopbackServers
    /// The proxy of the client that failed, or `nil` if there is none.
    var proxy: OutgoingRoute.Proxy?
    /// The route of the client that failed.
    var change: @Sendable (inout HTTPClient.Configuration) -> Void = { _ in }

    /// Whether a client failed because it does not trust the server's certificate.
    static func concerns(_ error: any Error) -> Bool {
        guard case .handshakeFailed(let fault) = error as? NIOSSLError else { return false }
        return "\(fault)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    /// Returns why the certificate of the server at `url` is not trusted.
    func failure(at url: String, host: String, now: Date = Date()) async -> OutgoingFailure {
        OutgoingFailure(untrusted: await certificate(at: url), at: host, now: now)
    }

    private func certificate(at url: String) async -> NIOSSLCertificate? {
        if let proxy, (try? proxy.checkListener(loopback)) == nil { return nil }
        let found = Found()
        let client = OutgoingHTTP.client(connect: Self.limit, loopback: loopback) { configuration in
            change(&configuration)
            var security = TLSConfiguration.makeClientConfiguration()
            security.certificateVerification = .none
            configuration.tlsConfiguration = security
            let initialize = configuration.http1_1ConnectionDebugInitializer
            configuration.http1_1ConnectionDebugInitializer = { channel in
                let initialized = initialize?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
                return initialized.flatMapThrowing {
                    found.set(try channel.pipeline.syncOperations.nioSSL_peerCertificate())
                    // A failed initializer closes the connection before the client sends a request.
                    channel.close(promise: nil)
                    throw Seen()
                }
            }
        }
        _ = try? await client.execute(HTTPClientRequest(url: url), timeout: TimeAmount(Self.limit))
        try? await client.shutdown()
        return found.certificate
    }
}

extension OutgoingFailure {
    /// The maximum length of an issuer's name in a message, in characters.
    private static let longestName = 200

    /// Creates the failure for an untrusted certificate, which is `nil` if it could not be read.
    package init(untrusted certificate: NIOSSLCertificate?, at host: String, now: Date = Date()) {
        guard let certificate else {
            self.init(.untrustedIssuer(nil), at: host)
            return
        }
        let from = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        let until = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
        guard (from...max(from, until)).contains(now) else {
            self.init(.certificateTime(from: from, until: until, now: now), at: host)
            return
        }
        self.init(.untrustedIssuer(Self.issuer(of: certificate)), at: host)
    }

    /// Creates the failure for an error of a TLS connection that uses no proxy, or returns `nil` if it has no message.
    ///
    /// The failure does not contain the issuer of an untrusted certificate.
    package init?(connecting error: any Error, to host: String) {
        if CertificateProbe.concerns(error) {
            self.init(.untrustedIssuer(nil), at: host)
        } else {
            self.init(error, at: host, over: nil)
        }
    }

    private static func issuer(of certificate: NIOSSLCertificate) -> String? {
        guard let bytes = try? certificate.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes) else {
            return nil
        }
        // The name comes from an unknown server, so it is shortened and contains no control characters.
        let name = parsed.issuer.description.unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        let text = String(String.UnicodeScalarView(name).prefix(longestName))
        return text.isEmpty ? nil : text
    }
}
