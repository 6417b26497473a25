//! A receiver of webhooks, on loopback: it answers 204 to everything, and keeps what was posted.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Receiver {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let receiver = Receiver {
            address: listener.local_addr()?,
            bodies: Arc::default(),
        };
        let bodies = receiver.bodies.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let bodies = bodies.clone();
                tokio::spawn(async move {
                    // Who hangs up has nothing more to post.
                    let _ = serve(stream, &bodies).await;
                });
            }
        });
        Ok(receiver)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/audit", self.address)
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Answers the requests of one connection.
async fn serve(stream: TcpStream, bodies: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 && line.trim() != "" {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            line.clear();
        }
        if line.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        bodies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(String::from_utf8_lossy(&body).into_owned());
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
    }
}
