import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import X509

/// Reads the certificate of a server that the client does not trust, to name the cause of the failure.
///
/// The probe opens a second connection over the same route, and closes it after the handshake. It sends no request.
struct CertificateProbe: Sendable {
    /// The time limit for the connection.
    static let limit: Duration = .seconds(3)
    /// The maximum length of an issuer's name in a message, in characters.
    private static let longestName = 200

    private struct Seen: Error {}

    private final class Found: Sendable {
        private let value = Mutex<NIOSSLCertificate?>(nil)

        var certificate: NIOSSLCertificate? { value.withLock { $0 } }

        func set(_ certificate: NIOSSLCertificate?) { value.withLock { $0 = certificate } }
    }

    let loopback: LoopbackServers
    /// The route of the client that failed.
    var change: @Sendable (inout HTTPClient.Configuration) -> Void = { _ in }

    /// Whether a client failed because it does not trust the server's certificate.
    static func concerns(_ error: any Error) -> Bool {
        guard case .handshakeFailed(let fault) = error as? NIOSSLError else { return false }
        return "\(fault)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    /// Returns why the certificate of the server at `url` is not trusted.
    func failure(at url: String, host: String, now: Date = Date()) async -> OutgoingFailure {
        guard let certificate = await certificate(at: url) else {
            return OutgoingFailure(.untrustedIssuer(nil), at: host)
        }
        let from = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        let until = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
        guard (from...max(from, until)).contains(now) else {
            return OutgoingFailure(.certificateTime(from: from, until: until, now: now), at: host)
        }
        return OutgoingFailure(.untrustedIssuer(Self.issuer(of: certificate)), at: host)
    }

    private func certificate(at url: String) async -> NIOSSLCertificate? {
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
