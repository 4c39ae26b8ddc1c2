public import Foundation
import NIOSSL

/// A certificate of ours with its key, by which servers elsewhere know us in TLS.
public struct ClientCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificate: The certificate in PEM, and those that lead to its authority.
    ///   - privateKey: The key in PEM.
    /// - Throws: The reason why they cannot be used.
    public init(certificate: Data, privateKey: Data) throws {
        chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate))
        key = try NIOSSLPrivateKey(bytes: Array(privateKey), format: .pem)
    }
}
