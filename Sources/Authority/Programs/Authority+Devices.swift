import Attempts
import AuthorityStore
public import FlowModel
import Foundation
import Moments
public import OAuth
import Policies
import Storage
import StoreRefusals

/// A device's request as it is shown to the person who decides on it (RFC 8628 §3.3).
public struct DeviceRequest: Hashable, Sendable, Codable {
    /// The id, for ``Authority/approve(_:pending:_:)`` and ``Authority/deny(_:_:)``.
    public let id: String
    /// The client's id.
    public let client: String
    /// The place that the device asked from, as audits keep it.
    public let origin: String
    /// Time of the request, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// The request, whose requirement a flow must meet.
    public let request: ResolvedRequest
}

extension Authority {
    /// The life of a device's request.
    static let deviceLife: Duration = .seconds(900)
    /// The seconds between two requests of a device, at first.
    static let deviceInterval: Int64 = 5
    /// The number of times a user code is drawn anew because it is in use.
    private static let mostDraws = 5

    /// Answers the device authorization endpoint (RFC 8628 §3.2).
    ///
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
    public func authorizeDevice(_ request: ProgramRequest) async throws -> JSONValue {
        try await Self.rows.storing {
            let call = try await open(request, at: .deviceAuthorization)
            guard call.client.grants.contains(.deviceCode) else {
                throw OAuthError.unauthorizedClient("the client may not use this grant type")
            }
            let resolved = try call.resolve(scopes: try request.scopes(), resource: try request.resource())
            let code = OpaqueCode.random()
            let userCode = try await keep(resolved, code, call)
            let page = call.settings.base + Self.devicePath
            return [
                "device_code": .string(code.reveal()), "user_code": .string(UserCode.shown(userCode)),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(UserCode.shown(userCode))"),
                "expires_in": .int(Self.deviceLife.milliseconds / 1000), "interval": .int(Self.deviceInterval),
                "message": .string("To sign in, open \(page) and enter the code \(UserCode.shown(userCode))."),
            ]
        }
    }

    /// The path of the page where a user code is typed, behind the base.
    public static let devicePath = "/device"

    /// Finds the request that waits under a user code; every look is charged to the place it comes from.
    ///
    /// - Parameters:
    ///   - userCode: The code as it was typed.
    ///   - origin: The place of the person.
    /// - Returns: The request; nil if there is none, or its life has ended.
    /// - Throws: `limit_exceeded` with the time to wait.
    public func deviceRequest(userCode: String, from origin: Origin) async throws -> DeviceRequest? {
        try await Self.rows.storing {
            try await attempts.chargeUserCode(origin: origin)
            guard let code = UserCode.canonical(userCode),
                let row = try await store.deviceCodes.find(userCode: code)
            else { return nil }
            return DeviceRequest(
                id: row.hash,
                client: row.client,
                origin: row.origin,
                asked: row.expires.wall - Self.deviceLife.milliseconds,
                request: try JSONDecoder().decode(ResolvedRequest.self, from: row.body)
            )
        }
    }

    /// Approves a device's request by a flow that has ended with success; its authentication is used up.
    ///
    /// - Parameters:
    ///   - device: The device's request.
    ///   - id: The pending request's id.
    ///   - caller: The caller.
    /// - Throws: `interaction_required` if nothing was proved for the request, or the device does not wait any more.
    public func approve(_ device: DeviceRequest, pending id: String, _ caller: Caller) async throws {
        try await Self.rows.storing {
            do {
                try await tokens.approve(AuthenticationGrant(pending: id), device.id, caller)
            } catch let error as StoreError {
                // The form was sent twice: the first one has approved it.
                guard error.code == .consumed else { throw error }
            }
        }
    }

    /// Approves a device's request by a live session that meets it.
    public func approve(_ device: DeviceRequest, session: String, _ caller: Caller) async throws {
        try await Self.rows.storing {
            try await tokens.approve(SessionGrant(session: session, request: device.request), device.id, caller)
        }
    }

    /// Refuses a device's request, for good.
    public func deny(_ device: DeviceRequest, _ caller: Caller) async throws {
        try await Self.rows.storing {
            let event = AuditEvent(
                .consentDenied,
                by: caller,
                client: device.client,
                policy: device.request.policy.description,
                detail: ["grant": DeviceCodeGrant.name]
            )
            try await store.deviceCodes.deny(device.id, events: [event])
        }
    }

    /// Keeps a request under a user code that no other has.
    private func keep(_ resolved: ResolvedRequest, _ code: Secret, _ call: ProgramCall) async throws -> String {
        let row = DeviceCodeRow(
            hash: OpaqueCode.hash(code),
            origin: call.request.origin.key,
            client: call.client.id,
            policy: call.policy.id.description,
            body: try JSONEncoder().encode(resolved),
            interval: Self.deviceInterval,
            expires: Deadline(Self.deviceLife, after: call.now)
        )
        for _ in 0..<Self.mostDraws {
            let userCode = UserCode.random()
            if try await isFree(userCode, for: row, call.share) { return userCode }
        }
        throw OAuthError.serverError(detail: "no user code is free")
    }

    /// Keeps a request under a user code; false if another has it.
    private func isFree(
        _ userCode: String,
        for row: DeviceCodeRow,
        _ share: RequestShare
    ) async throws -> Bool {
        do {
            try await store.deviceCodes.add(row, userCode: userCode, share: share)
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }
}
