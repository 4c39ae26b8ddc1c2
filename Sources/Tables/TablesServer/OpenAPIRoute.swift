import HTTPTypes
import OAuth

/// The part of the OpenAPI document that describes routes other than the tables'.
enum OpenAPIRoute {
    static let task: JSONValue = [
        "type": "object",
        "properties": [
            "id": ["type": "string"], "task": ["type": "string"], "owner": ["type": "string"],
            "completed": ["type": "boolean"], "creationDate": ["type": "string", "format": "date-time"],
        ],
        "required": ["id", "task", "owner", "completed", "creationDate"],
    ]

    private static let taskBody: JSONValue = [
        "required": true,
        "content": [
            "application/json": [
                "schema": ["type": "object", "properties": ["task": ["type": "string"]], "required": ["task"]]
            ]
        ],
    ]

    /// The operation object of a route; a generic one for a route without a description.
    static func operation(_ method: HTTPRequest.Method, _ path: String) -> JSONValue {
        let known = described["\(method.rawValue) \(path)"]
        var operation = known ?? ["summary": "An address of this server.", "responses": ["default": anything]]
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            return OpenAPIPart.parameter(name, "path", ["type": "string"], "A part of the address.")
        }
        if !names.isEmpty { operation["parameters"] = .array(names) }
        return .object(operation)
    }

    private static let anything = OpenAPIPart.answer("What it answers.")

    private static let described: [String: [String: JSONValue]] = {
        var all: [String: [String: JSONValue]] = [
            "GET /healthz": open("Whether the server runs.", "It runs."),
            "GET /readyz": open("Whether requests make sense now.", "They do.", refusals: ["503": "They do not."]),
            "GET /metrics": open(
                "Measurements, for callers of this machine, unless there is a proxy.",
                "They are text.",
                type: "text/plain"
            ),
            "GET /openapi.json": open("This document.", "An OpenAPI 3.1 document."),
            "GET \(ProtectedResource.wellKnown)": open(
                "The authorities and scopes of this API (RFC 9728).",
                "They are metadata of a protected resource.",
                refusals: ["503": "The authority of this machine cannot be asked now."]
            ),
            "GET /.auth/me": closed(
                "The identity behind the token.",
                ["type": "array", "items": ["type": "object"]],
                refusals: ["401": "There is no token, or it is not valid."]
            ),
            "GET /.auth/logout": ending, "POST /.auth/logout": ending,
            "GET /.auth/refresh": open("No refresh support.", nil, refusals: ["400": "There never is."]),
            "GET /protected": closed(
                "The person behind the token.",
                [
                    "type": "object",
                    "properties": [
                        "id": ["type": "string"], "displayName": ["type": ["string", "null"]],
                        "authBy": ["type": ["string", "null"]], "attributes": ["type": "object"],
                    ],
                ],
                refusals: ["401": "There is no token, or it is not valid."]
            ),
            "GET /api/balance": closed(
                "Something behind a check.",
                ["type": "object", "properties": ["balance": ["type": "string"]]],
                refusals: ["401": "There is no token, or its person has not passed the check (RFC 9470)."]
            ),
            "GET /api/tasks": closed(
                "The caller's tasks, oldest first.",
                ["type": "array", "items": OpenAPIPart.reference("task")],
                parameters: OpenAPITable.paging,
                refusals: refusals
            ),
            "POST /api/tasks": closed(
                "Adds a task.",
                OpenAPIPart.reference("task"),
                status: "201",
                body: taskBody,
                refusals: refusals
            ),
            "DELETE /api/tasks": closed(
                "Deletes the caller's task of exactly that text.",
                nil,
                status: "204",
                body: taskBody,
                refusals: refusals.merging(["404": "There is none.", "409": "There are several."]) { $1 }
            ),
            "DELETE /api/tasks/{id}": closed(
                "Deletes a task.",
                nil,
                status: "204",
                refusals: refusals.merging(["404": "There is none."]) { $1 }
            ),
        ]
        for prefix in ["/.auth/login", "/login"] {
            all["GET \(prefix)/{provider}"] = open(
                "Begins a sign-in in a browser, which ends at `done` with a token or an error.",
                nil,
                refusals: ["303": "The browser goes to the authority.", "400": "A parameter is not taken."]
            )
            all["POST \(prefix)/{provider}"] = open(
                "Takes a provider's own token.",
                "A token of the authority, and the id of its person.",
                refusals: ["400": "The body has no token.", "401": "The token is not taken."]
            )
            all["GET \(prefix)/done"] = open("The end of a sign-in.", "It is a page.", type: "text/html")
            all["GET \(prefix)/done.js"] = open("The script of that page.", "It is text.", type: "text/javascript")
            all["GET \(prefix)/done.css"] = open("The looks of that page.", "It is text.", type: "text/css")
        }
        for path in ["/.auth/login/callback", "/auth/openid/return"] {
            all["GET \(path)"] = open(
                "Takes a browser that the authority has sent back.",
                nil,
                refusals: ["303": "The sign-in has ended.", "400": "It was not begun in this browser."]
            )
        }
        for method in PushRoutes.methods {
            let summary = "Registrations for notifications, which this server does not send."
            all["\(method.rawValue) /push/{rest}"] = open(summary, nil, refusals: ["501": "It never does."])
        }
        return all
    }()

    private static let ending = closed(
        "Ends the token: it opens nothing here any more.",
        nil,
        status: "204",
        refusals: ["401": "There is no token, or it is not valid."]
    )

    private static let refusals = [
        "400": "The request is wrong.", "401": "There is no token, or it is not valid.",
        "403": "The token does not grant it.",
    ]

    private static func open(
        _ summary: String,
        _ success: String?,
        type: String = "application/json",
        refusals: [String: String] = [:]
    ) -> [String: JSONValue] {
        var responses = refusals.mapValues(OpenAPIPart.refusal)
        if let success {
            let schema: JSONValue = type == "application/json" ? ["type": "object"] : ["type": "string"]
            responses["200"] = OpenAPIPart.answer(success, schema, type)
        }
        return ["summary": .string(summary), "responses": .object(responses), "security": []]
    }

    private static func closed(
        _ summary: String,
        _ schema: JSONValue?,
        status: String = "200",
        body: JSONValue? = nil,
        parameters: [JSONValue]? = nil,
        refusals: [String: String]
    ) -> [String: JSONValue] {
        var responses = refusals.mapValues(OpenAPIPart.refusal)
        responses[status] = OpenAPIPart.answer("Done.", schema)
        var operation: [String: JSONValue] = [
            "summary": .string(summary), "responses": .object(responses), "security": OpenAPIPart.token,
        ]
        operation["requestBody"] = body
        operation["parameters"] = parameters.map { .array($0) }
        return operation
    }
}
