//! How the daemon begins and ends.

use std::time::Duration;

use hooks_server::{Server, ServerError};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpStream, UnixStream};

use crate::common::{claude, daemon, read, request};

#[tokio::test]
async fn what_has_begun_is_finished_and_nothing_new_is_accepted() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/readyz").await.status, 200);
    let idle = daemon.tcp().await;
    let mut slow = daemon.tcp().await;
    let asked = request("POST", "/hooks/claude", "", &claude("Slow", "x"));
    slow.write_all(&asked).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    daemon.shutdown.soft();
    let said = read(slow).await;
    assert!(said.body.contains("deny"), "{said:?}");
    daemon.ended.await.unwrap();
    assert!(TcpStream::connect(daemon.address).await.is_err());
    assert!(UnixStream::connect(&daemon.socket).await.is_err());
    assert!(!daemon.socket.exists());
    drop(idle);
}

#[tokio::test]
async fn what_does_not_finish_is_dropped_in_the_end() {
    let daemon = daemon().await;
    let mut waiting = daemon.unix().await;
    let asked = request("POST", "/run", "hooks-version: 1\r\n", "wait");
    waiting.write_all(&asked).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    daemon.shutdown.soft();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!daemon.ended.is_finished());
    daemon.shutdown.hard();
    daemon.ended.await.unwrap();
    assert_eq!(
        read(waiting).await.status,
        0,
        "it is told by the end of the connection"
    );
}

#[tokio::test]
async fn nobody_listens_where_others_could_ask() {
    let open = Server::builder()
        .listen("0.0.0.0:0".parse().unwrap())
        .bind()
        .await;
    assert!(matches!(open, Err(ServerError::Open(_))), "{open:?}");
    let none = Server::builder().bind().await;
    assert!(matches!(none, Err(ServerError::NoDoor)), "{none:?}");
}
